// What reward --help says.

package command

const manual = `reward fits probes that read a target from latents, and says how well they do on
episodes that they have not seen: episodes are divided into --folds, and every
sample is predicted by a probe fitted on the other folds.

The reward of a transition is read from the latents of both its states (z_t and
z_t+1, as published; --probe-features next: of the second alone), and any other
target (--targets: lives, positions, RAM) from the latent of its state. Numbers are
regressed (mse, r2, nmse = 1 - r2; auroc of rewards above 0, over pairs of one fold,
since folds have heads of their own), integers classified (accuracy,
balanced_accuracy, macro f1; --regress NAME for integers that are quantities).
Probes: ridge regression, whose strength is chosen by cross-validation inside the
training folds; a small network; nearest neighbours; logistic regression for classes. Heads trained elsewhere stand beside them as probe "given".

With latents that a dynamics model predicted (--predicted), each probe is fitted on
true latents and evaluated on true and on predicted ones, and fitted and evaluated on
predicted ones:
  transfer_gap   what a head loses that was fitted on true latents when it reads
                 predicted ones, as a planner does
  published_gap  the loss of a head fitted and evaluated on predicted latents less
                 that of one fitted and evaluated on true ones
both in the loss (mse, or the share of wrong classes), paired over samples. A gap of 0
with a bad probe says nothing: read r2 beside it.

Of the predictions themselves, from --predicted or made here by --predictor (ONNX):
  latent_prediction  error of the next latent, R² per dimension, and skill, 1 - mse over
                     that of copying the latent (copy_mse) and of the mean (mean_mse)
  rollout            the same by step, open loop: --rollouts, or --predictor for --horizon
                     steps from every state whose episode lasts so long; rollout_horizon is
                     the step at which the baselines become better
  temporal_distance  rank correlation of latent distance with time, inside episodes
and with --actions the action is a target, read from both latents (inverse dynamics).

Baselines are models of every result: the mean of the other folds, the reward before,
the commonest class; and with frames pixel PCA, fitted on the pixels of all states and
on no target, and an untrained encoder (others: --baseline pca:32).
A model is as good as what it adds to these.

Intervals delete whole episodes (pieces of them where there are fewer than 5) in turn.
Ridge probes are fitted again without each, so that their intervals hold what depends
on the training episodes too. Rewards are one per frame; the last state of an episode
has no successor, is ignored and counted.`
