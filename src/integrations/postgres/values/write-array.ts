/** Writes one element that is not an array itself. */
type WriteElement = (value: unknown) => string | Uint8Array | null

/** Writes an array in PostgreSQL's text format: `{1,"a b",NULL,{2}}`. */
export function writeArray(values: readonly unknown[], write: WriteElement): string {
  // `Array.from` also visits holes.
  return `{${Array.from(values, (value) => writeElement(value, write)).join(',')}}`
}

function writeElement(value: unknown, write: WriteElement): string {
  if (Array.isArray(value)) return writeArray(value, write)
  const written = write(value)
  if (written === null) return 'NULL'
  if (typeof written !== 'string') return `"\\\\x${Buffer.from(written).toString('hex')}"`
  return `"${written.replace(/["\\]/g, '\\$&')}"`
}
