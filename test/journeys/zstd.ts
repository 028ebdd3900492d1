import zlib from 'node:zlib'

const { zstdCompressSync } = zlib as { zstdCompressSync?: (bytes: string | Buffer) => Buffer }

/** Compresses, where Blazon decodes zstd. Node 22 has it too, and does not notice a body that was cut off. */
export const compressZstd =
  Number.parseInt(process.versions.node, 10) < 24 ? undefined : zstdCompressSync
