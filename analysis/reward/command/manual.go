// What reward --help says.

package command

const manual = `reward fits probes that predict a target from latents and tests them on other episodes:
episodes are divided into --folds, and every sample is predicted by a probe fitted on
the other folds.

The reward of a transition is predicted from the latents of both its states (z_t and
z_t+1, as published; with --probe-features next, only the second). Other targets
(--targets: lives, positions, RAM) are predicted from the latent of their state. Numbers
are regressed (mse, r2, nmse = 1 - r2; r, Pearson's correlation, and auroc of rewards
above 0, both within folds, because each fold has its own probe). Integers are classified (accuracy,
balanced_accuracy, macro f1; --regress NAME for integers that are quantities). Probes:
ridge regression, with a strength chosen by cross-validation inside the training folds;
a small network; nearest neighbors; logistic regression for classes. Heads trained
elsewhere appear as probe "given".

With latents predicted by a dynamics model (--predicted), each probe is fitted on true
latents and evaluated on true and on predicted latents. It is also fitted and evaluated
on predicted latents:
  transfer_gap   loss on predicted minus loss on true latents, for a probe fitted on
                 true latents, as in planning
  published_gap  loss of a probe fitted and evaluated on predicted latents, minus loss
                 of a probe fitted and evaluated on true latents
The loss is mse or the share of wrong classes, paired over samples. A gap of 0 means
little for a poor probe: also read r2.

The predictions themselves, from --predicted or computed by --predictor (ONNX), have:
  latent_prediction  error of the next latent, R² per dimension, and skill: 1 - mse / mse
                     of copying the latent (copy_mse) or of the mean (mean_mse)
  rollout            the same by step, open loop: --rollouts, or --predictor for --horizon
                     steps from every state with enough successors; rollout_horizon is
                     the step at which the baselines become better
  temporal_distance  rank correlation of latent distance with time, inside episodes
With --actions, the action is a target predicted from both latents (inverse dynamics).

Every result contains baselines: the mean of the other folds, the previous reward, and
the most frequent class. With frames there are also pixel PCA, fitted on the pixels of
all states, and an untrained encoder (others: --baseline pca:32). Compare each model with
these baselines.

Intervals use the jackknife over episodes (over pieces of them if there are fewer than
5). Ridge and logistic probes are refitted for each block, and their penalties move, so
that intervals include the influence of the training episodes. There is one reward per
frame; the last state of an episode has no successor, is ignored and counted.`
