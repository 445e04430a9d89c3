// Package input is what commands over states share: the flags of frames, episodes,
// encoders and latents computed elsewhere, and their loading. A command's Setup
// registers them and its run loads what they name:
//
//	var Command = run.Command{
//		Name:   "distances",
//		Manual: manual,
//		Setup: func(flags *run.Flags) run.Job {
//			inputs := input.Register(flags, input.Needs{Frames: true})
//			return run.Job{Run: func(ctx context.Context, env *run.Env) error {
//				data, err := inputs.Load(ctx, env)
//				if err != nil {
//					return err
//				}
//				index := data.Sample()                   // ascending; at most --samples
//				frames, err := data.Frames(ctx, index)   // last frames, uint8 stays uint8
//				if err != nil {
//					return err
//				}
//				latents, err := data.Latents(ctx, index) // one point set per model, pooled, cached
//				if err != nil {
//					return err
//				}
//				for i, model := range data.Models {
//					env.Result.Models.Set(model.Name, measure(frames, latents[i]))
//				}
//				return nil
//			}}
//		},
//	}
//
// The files read, with their digests, are entered into the inputs of the result.
package input
