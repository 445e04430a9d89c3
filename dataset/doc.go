// Package dataset reads arrays and frame sets from disk and presents them as sequences of states. Large files are
// mapped or read row by row, never loaded whole. The formats are
//
//   - .npy: one array, as written by numpy.save
//   - .npz: arrays by name, as written by numpy.savez and numpy.savez_compressed
//   - .safetensors: arrays by name
//   - .pt, .pth: a PyTorch file: a tensor by its path in dicts and lists, or a
//     published experience dataset
//   - .tif: the pages of a TIFF file, each a frame
//   - .h5, .hdf5: datasets of an HDF5 file by their path in groups
//   - .nc: variables of a NetCDF file, decoded as scale_factor, add_offset, _FillValue
//     and missing_value say
//   - .parquet: columns of a Parquet file, lists of one length as matrices, images in
//     bytes as frames; or a folder of such files, also of LeRobot
//   - .tar: samples of a WebDataset archive by the ending of their members, or of
//     shards NAME-{000..123}.tar
//   - .zarr: arrays of a Zarr store by their path in groups, of a folder or a zip
//     file, decoded like NetCDF
//   - .csv, .tsv: columns of numbers of a table of text, FILE:name; several as a matrix,
//     FILE:A,B or FILE:z*
//   - a folder of images: PNG, JPEG, WebP or TIFF files of one size, in natural order of
//     names; or folders of such files, one per episode
//
// Formats are recognized by content (see [FormatNames]), tables of text by their names. Problems of boards, screens and
// captions have readers of their own; protein sequences are read by package protein, interface designs by casefile.
//
//	frames, err := dataset.Open("val.npz:frames")          // an Array, say uint8 [N 84 84]
//	if err != nil { … }
//	defer frames.Close()
//	states, err := dataset.NewStates(frames, dataset.StateOptions{Window: 4})
//	if err != nil { … }
//	batch := make([]float32, 64*states.Size())
//	err = states.Float32(batch, 0, 64)                     // states 0..63, [64 4 84 84]
//	for _, pair := range states.Pairs(1) { … }             // consecutive, never across episodes
package dataset
