import { expect, it } from 'vitest'
import { literal } from '../../src/cli/replay/literal.js'

const style = { quote: "'", indent: '  ' } as const

it('writes integers of any size', () => {
  expect(literal({ $bigint: '-90071992547409930' }, style)).toBe('-90071992547409930n')
})

it('writes no code of a capsule that somebody else has written', () => {
  expect(literal({ $bigint: 'process.exit(9) || 1' }, style)).toBe(
    "{ $bigint: 'process.exit(9) || 1' }",
  )
})
