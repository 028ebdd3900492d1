import { expect, it } from 'vitest'
import { flightOf } from '../../../src/integrations/postgres/drivers/flight.js'
import { loadPg, type PgWire } from '../../../src/integrations/postgres/drivers/pg-package.js'

it('rejects the statements without a result when the server is ready too early', async () => {
  const { Query } = await loadPg()
  const Flight = flightOf({ Query })
  const outcomes: string[] = []
  const steps = ['first', 'second', 'third'].map(
    (text) =>
      new Query({ text }, (error) => outcomes.push(`${text}: ${error?.message ?? 'is answered'}`)),
  )
  const flight = new Flight(steps, { onStep: () => {}, onEnd: () => outcomes.push('the end') })
  const wire = { sync() {} } as PgWire
  flight.handleCommandComplete({ text: 'SELECT 1' }, wire)
  flight.handleReadyForQuery(wire)
  const unanswered =
    'The server was ready for the next statement, but had not responded to this one.'
  expect(outcomes).toEqual([
    'first: is answered',
    `second: ${unanswered}`,
    `third: ${unanswered}`,
    'the end',
  ])
})
