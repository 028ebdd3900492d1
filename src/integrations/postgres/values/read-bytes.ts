/** Reads the text of a `bytea`, in either output format of the server (`hex` or `escape`). */
export function readBytes(text: string): Buffer {
  if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex')
  const bytes = text.replace(/\\(\\|[0-7]{3})/g, (_, escaped: string) =>
    escaped === '\\' ? escaped : String.fromCharCode(Number.parseInt(escaped, 8)),
  )
  return Buffer.from(bytes, 'latin1')
}
