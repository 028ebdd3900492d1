/** The digits of base62, in the order of their ASCII codes. */
export const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The length of a checksum: 62^6 is more than 2^32. */
export const CHECKSUM_LENGTH = 6

/** CRC-32 of each byte, with the reversed polynomial 0x04C11DB7 (ISO/IEC 3309). */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1
  return rest
})

/** Returns the CRC-32 of a text in ASCII, as six digits of base62. */
export function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  while (digits.length < CHECKSUM_LENGTH) {
    digits = (DIGITS[rest % 62] as string) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

function crc32(text: string): number {
  let rest = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    rest = (TABLE[(rest ^ text.charCodeAt(index)) & 0xff] as number) ^ (rest >>> 8)
  }
  return (rest ^ 0xffffffff) >>> 0
}
