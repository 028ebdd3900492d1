import { expect, it } from 'vitest'
import { flightOf } from '../../../src/integrations/postgres/drivers/flight.js'
import { loadPg, type PgWire } from '../../../src/integrations/postgres/drivers/pg-package.js'

it('leaves nobody without an answer where the server is ready before it has answered all', async () => {
  const { Query } = await loadPg()
  const Flight = flightOf({ Query })
  const told: string[] = []
  const steps = ['first', 'second', 'third'].map(
    (text) =>
      new Query({ text }, (error) => told.push(`${text}: ${error?.message ?? 'is answered'}`)),
  )
  const flight = new Flight(steps, { onStep: () => {}, onEnd: () => told.push('the end') })
  const wire = { sync() {} } as PgWire
  flight.handleCommandComplete({ text: 'SELECT 1' }, wire)
  flight.handleReadyForQuery(wire)
  const unanswered =
    'The server was ready for the next statement, but had not responded to this one.'
  expect(told).toEqual([
    'first: is answered',
    `second: ${unanswered}`,
    `third: ${unanswered}`,
    'the end',
  ])
})
