import { writeValue } from './write-value.js'

/** An array as PostgreSQL reads it: `{1,"a b",NULL,{2}}`. */
export function writeArray(values: readonly unknown[]): string {
  // `Array.from` visits holes, too.
  return `{${Array.from(values, writeElement).join(',')}}`
}

function writeElement(value: unknown): string {
  if (Array.isArray(value)) return writeArray(value)
  const written = writeValue(value)
  if (written === null) return 'NULL'
  if (typeof written !== 'string') return `"\\\\x${Buffer.from(written).toString('hex')}"`
  return `"${written.replace(/["\\]/g, '\\$&')}"`
}
