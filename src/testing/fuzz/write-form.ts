/** A file of a generated form. */
export interface FormFile {
  readonly fileName: string
  /** The declared media type. */
  readonly type: string
  /** The bytes, as Latin-1. */
  readonly content: string
}

/** The parts of a generated form: strings, files, and lists of either. */
export type FormValue = Readonly<Record<string, unknown>>

const BOUNDARY = 'fuzz-boundary'

/** The `Content-Type` of generated forms. */
export const FORM_TYPE: string = `multipart/form-data; boundary=${BOUNDARY}`

/** Whether a value is a file of a form. */
export function isFormFile(value: unknown): value is FormFile {
  return typeof value === 'object' && value !== null && 'fileName' in value && 'content' in value
}

/** Replaces the files of a form with their contents, so that the form can be checked against its schema. */
export function withoutFiles(value: unknown): unknown {
  if (isFormFile(value)) return value.content
  if (Array.isArray(value)) return value.map(withoutFiles)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withoutFiles(child)]))
}

/** Writes a form (RFC 7578), with the parts in the order of the properties. */
export function writeForm(value: FormValue): Buffer {
  const parts = Object.entries(value).flatMap(([name, part]) =>
    [part].flat().map((each) => partOf(name, each)),
  )
  return formOf(parts)
}

/** Writes a form of parts. Each part is a head, an empty line and a value, as Latin-1. */
export function formOf(parts: readonly string[], end = `--${BOUNDARY}--\r\n`): Buffer {
  const text = parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join('')
  return Buffer.from(text + end, 'latin1')
}

/** A valid form part. */
export function partOf(name: string, value: unknown): string {
  const disposition = `Content-Disposition: form-data; name="${escaped(name)}"`
  if (!isFormFile(value)) return `${disposition}\r\n\r\n${latin1(String(value))}`
  const { fileName, type, content } = value
  const head = `${disposition}; filename="${escaped(fileName)}"\r\nContent-Type: ${escaped(type)}`
  return `${head}\r\n\r\n${content}`
}

/** A header value, escaped as in browsers. */
function escaped(text: string): string {
  const ESCAPES: Readonly<Record<string, string>> = { '\r': '%0D', '\n': '%0A', '"': '%22' }
  return latin1(text.replace(/[\r\n"]/g, (character) => ESCAPES[character] as string))
}

/** The UTF-8 bytes of a string, as Latin-1. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}
