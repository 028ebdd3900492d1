import { describe, expect, it } from 'vitest'
import { toBytes, toSeconds } from '../../src/http/units.js'

describe('toSeconds', () => {
  it.each([
    [0, 0],
    [1.5, 1.5],
    ['250ms', 0.25],
    ['90s', 90],
    ['15m', 900],
    ['2h', 7200],
    ['1d', 86_400],
    ['1.5 H', 5400],
  ])('converts %j to %d seconds', (duration, seconds) => {
    expect(toSeconds(duration)).toBe(seconds)
  })

  it.each([
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    '30',
    's',
    '-1s',
    '1w',
    '1e3s',
    ' 1s',
    '1s ',
    '1  s',
    '1s2',
    '1constructor',
    '1mb',
    null as unknown as number,
    {} as unknown as number,
  ])('rejects %j', (duration) => {
    expect(toSeconds(duration)).toBeUndefined()
  })
})

describe('toBytes', () => {
  it.each([
    [0, 0],
    [1000.9, 1000],
    ['512b', 512],
    ['100kb', 102_400],
    ['1mb', 1_048_576],
    ['1.5 MB', 1_572_864],
    ['2gb', 2_147_483_648],
    ['0.3b', 0],
  ])('converts %j to %d bytes', (size, bytes) => {
    expect(toBytes(size)).toBe(bytes)
  })

  it.each([-1, Number.NaN, '', '100', 'kb', '1k', '1tb', '1s'])('rejects %j', (size) => {
    expect(toBytes(size)).toBeUndefined()
  })
})
