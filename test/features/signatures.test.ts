import { describe, expect, it } from 'vitest'
import {
  beginningOf,
  extensionOf,
  isOfType,
  typesIn,
} from '../../src/features/uploads/signatures.js'

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const FTYP = '00000018 66747970'

/** The first bytes of real files, in hexadecimal, and the extension of their type. */
const FILES: readonly [type: string, extension: string, ...starts: string[]][] = [
  ['image/png', '.png', '89504e47 0d0a1a0a'],
  ['image/jpeg', '.jpg', 'ffd8ffe0', 'ffd8ffdb'],
  ['image/gif', '.gif', '474946383761', '474946383961'],
  ['image/webp', '.webp', '52494646 24000000 57454250'],
  ['image/avif', '.avif', `${FTYP} 61766966`, `${FTYP} 61766973`],
  ['image/heic', '.heic', `${FTYP} 68656963`, `${FTYP} 68657663`, `${FTYP} 6d696631`],
  ['image/bmp', '.bmp', '424d3600'],
  ['image/tiff', '.tiff', '49492a00', '4d4d002a'],
  ['application/pdf', '.pdf', '255044462d312e37'],
  ['application/zip', '.zip', '504b0304', '504b0506'],
  ['application/gzip', '.gz', '1f8b0800'],
  [`${OFFICE}.wordprocessingml.document`, '.docx', '504b0304', '504b0506'],
  [`${OFFICE}.spreadsheetml.sheet`, '.xlsx', '504b0304', '504b0506'],
  [`${OFFICE}.presentationml.presentation`, '.pptx', '504b0304', '504b0506'],
  ['video/mp4', '.mp4', `${FTYP} 69736f6d`],
  ['video/webm', '.webm', '1a45dfa3'],
  ['audio/mpeg', '.mp3', '49443303', 'fffb9000', 'fff39000', 'fff29000'],
  ['audio/ogg', '.ogg', '4f676753'],
  ['audio/wav', '.wav', '52494646 24000000 57415645'],
]

const bytesOf = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')

describe('the type of an uploaded file', () => {
  it.each(FILES)('is recognized by its first bytes: %s', (type, extension, ...starts) => {
    expect(extensionOf(type)).toBe(extension)
    for (const start of starts) {
      const bytes = bytesOf(start)
      expect([start, isOfType(Buffer.concat([bytes, Buffer.alloc(16)]), type)]).toEqual([
        start,
        true,
      ])
      const others = [bytes.subarray(0, 1), Buffer.alloc(16, '-'), Buffer.alloc(0)]
      for (const other of others) expect(isOfType(other, type)).toBe(false)
    }
    expect(isOfType(beginningOf(type), type)).toBe(true)
  })

  it.each([
    ['text/csv', '.csv'],
    ['text/plain', '.txt'],
    ['application/json', '.json'],
    ['text/x-own', ''],
    ['constructor', ''],
  ])('is not checked for %s', (type, extension) => {
    expect(extensionOf(type)).toBe(extension)
    expect(isOfType(Buffer.from('any text'), type)).toBe(true)
    expect(beginningOf(type)).toHaveLength(0)
  })

  it('is one of the types in a range', () => {
    expect(typesIn('video/*')).toEqual(['video/mp4', 'video/webm'])
    expect(typesIn('text/*')).toEqual(['text/csv', 'text/plain'])
  })
})
