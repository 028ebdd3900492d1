/** A part of a form, as it is written. */
export interface Part {
  readonly name: string
  readonly value: string | Buffer
  /** Makes the part a file. */
  readonly filename?: string
  readonly type?: string
}

export const BOUNDARY = 'a-boundary'
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** The bytes of a PNG with one pixel, and more bytes behind it, so that it has a size. */
export function png(size = 64): Buffer {
  const bytes = Buffer.alloc(size, 'x')
  Buffer.from('89504e470d0a1a0a', 'hex').copy(bytes)
  return bytes
}

/** Writes a form byte by byte, so that nothing corrects it. */
export function form(parts: readonly Part[], end = `--${BOUNDARY}--\r\n`): Buffer {
  return Buffer.concat([...parts.map(partOf), Buffer.from(end)])
}

function partOf({ name, value, filename, type }: Part): Buffer {
  const file = filename === undefined ? '' : `; filename="${filename}"`
  const declared = type === undefined ? '' : `Content-Type: ${type}\r\n`
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${declared}\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')])
}
