/** The first bytes of files of one type, in hexadecimal. `??` stands for any byte. */
interface Signature {
  /** The extension for file names that the server chooses. */
  readonly extension: string
  /** The possible first bytes, one of which must match; empty for text types. */
  readonly starts: readonly string[]
}

const ZIP = ['504b0304', '504b0506']
const FTYP = '????????66747970'

/** The signatures, by media type. Text types have no signature. */
const SIGNATURES: Readonly<Record<string, Signature>> = {
  'image/png': { extension: '.png', starts: ['89504e470d0a1a0a'] },
  'image/jpeg': { extension: '.jpg', starts: ['ffd8ff'] },
  'image/gif': { extension: '.gif', starts: ['474946383761', '474946383961'] },
  'image/webp': { extension: '.webp', starts: ['52494646????????57454250'] },
  'image/avif': { extension: '.avif', starts: [`${FTYP}61766966`, `${FTYP}61766973`] },
  'image/heic': {
    extension: '.heic',
    starts: [`${FTYP}686569`, `${FTYP}686576`, `${FTYP}6d696631`],
  },
  'image/bmp': { extension: '.bmp', starts: ['424d'] },
  'image/tiff': { extension: '.tiff', starts: ['49492a00', '4d4d002a'] },
  'application/pdf': { extension: '.pdf', starts: ['255044462d'] },
  'application/zip': { extension: '.zip', starts: ZIP },
  'application/gzip': { extension: '.gz', starts: ['1f8b'] },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': {
    extension: '.docx',
    starts: ZIP,
  },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    extension: '.xlsx',
    starts: ZIP,
  },
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': {
    extension: '.pptx',
    starts: ZIP,
  },
  'video/mp4': { extension: '.mp4', starts: [FTYP] },
  'video/webm': { extension: '.webm', starts: ['1a45dfa3'] },
  'audio/mpeg': { extension: '.mp3', starts: ['494433', 'fffb', 'fff3', 'fff2'] },
  'audio/ogg': { extension: '.ogg', starts: ['4f676753'] },
  'audio/wav': { extension: '.wav', starts: ['52494646????????57415645'] },
  'text/csv': { extension: '.csv', starts: [] },
  'text/plain': { extension: '.txt', starts: [] },
  'application/json': { extension: '.json', starts: [] },
}

/** The number of bytes at the start of a file that determine its type. */
export const SIGNATURE_BYTES = 16

/** Returns the extension for a media type; empty if the type is not listed here. */
export function extensionOf(type: string): string {
  return signatureOf(type)?.extension ?? ''
}

/**
 * Returns bytes that a file of this type can begin with; empty for text types, and for types that are not listed here.
 */
export function beginningOf(type: string): Buffer {
  const [start = ''] = signatureOf(type)?.starts ?? []
  return Buffer.from(start.replaceAll('??', '20'), 'hex')
}

/** Returns the listed types that a range such as `image/*` includes. */
export function typesIn(range: string): string[] {
  const prefix = range.replace(/\*$/, '')
  return Object.keys(SIGNATURES).filter((type) => type.startsWith(prefix))
}

/** Whether the first bytes of a file match its type. If the type is not listed here, all bytes match. */
export function isOfType(head: Buffer, type: string): boolean {
  const starts = signatureOf(type)?.starts ?? []
  return starts.length === 0 || starts.some((start) => beginsWith(head, start))
}

function signatureOf(type: string): Signature | undefined {
  return Object.hasOwn(SIGNATURES, type) ? SIGNATURES[type] : undefined
}

function beginsWith(head: Buffer, start: string): boolean {
  const bytes = start.match(/../g) ?? []
  return (
    head.length >= bytes.length &&
    bytes.every((byte, index) => byte === '??' || head[index] === Number.parseInt(byte, 16))
  )
}
