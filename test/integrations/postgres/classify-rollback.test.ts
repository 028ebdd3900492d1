import { expect, it } from 'vitest'
import { classifyStatement } from '../../../src/integrations/postgres/classify-statement.js'

it.each([
  'rollback to a',
  'rollback to savepoint a',
  'rollback work to a',
  'ROLLBACK WORK TO SAVEPOINT a',
  'rollback transaction to a',
  'rollback transaction to savepoint a',
])('undoes a part, and ends no transaction: %s', (text) => {
  expect(classifyStatement(text)).toMatchObject({ control: null, leaves: 'nothing' })
})

it.each(['rollback', 'rollback work', 'rollback transaction', 'rollback and chain', 'ROLLBACK;'])(
  'ends a transaction: %s',
  (text) => {
    expect(classifyStatement(text).control).toBe('rollback')
  },
)
