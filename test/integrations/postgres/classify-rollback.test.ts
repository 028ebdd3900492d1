import { expect, it } from 'vitest'
import { classifyStatement } from '../../../src/integrations/postgres/statement-text.js'

it.each([
  'rollback to a',
  'rollback to savepoint a',
  'rollback work to a',
  'ROLLBACK WORK TO SAVEPOINT a',
  'rollback transaction to a',
  'rollback transaction to savepoint a',
])('a rollback to a savepoint is not the end of the transaction: %s', (text) => {
  expect(classifyStatement(text)).toMatchObject({ control: null, leaves: 'nothing' })
})

it.each(['rollback', 'rollback work', 'rollback transaction', 'rollback and chain', 'ROLLBACK;'])(
  'the end of a transaction is detected: %s',
  (text) => {
    expect(classifyStatement(text).control).toBe('rollback')
  },
)
