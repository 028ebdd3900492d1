import { expect, it } from 'vitest'
import { flightOf, PgStep } from '../../../src/integrations/postgres/drivers/flight.js'
import { loadPg } from '../../../src/integrations/postgres/drivers/pg-package.js'

/** What `pg` calls on a query. */
interface Answered {
  handleCommandComplete(message: { text: string }): void
  handleError(error: Error): void
  handleReadyForQuery(): void
}

async function flightOfThree() {
  const { Query } = await loadPg()
  const steps = ['first', 'second', 'third'].map((text) => new PgStep({ text }, false))
  const ends: string[] = []
  const Flight = flightOf({ Query })
  const flight = new Flight(steps, {
    onWrite: () => {},
    onUnwritten: () => {},
    onStep: () => {},
    onEnd: () => ends.push('the end'),
    explain: (error) => error as Error,
  })
  expect(flight).toBeInstanceOf(Query)
  const outcomes = async () =>
    (await Promise.allSettled(steps.map(({ promise }) => promise))).map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.command : outcome.reason.message,
    )
  return { flight: flight as unknown as Answered, outcomes, ends }
}

it('statements without a result are rejected if the server reports too early that it is ready', async () => {
  const { flight, outcomes, ends } = await flightOfThree()
  flight.handleCommandComplete({ text: 'SELECT 1' })
  flight.handleReadyForQuery()
  const unanswered =
    'The server was ready for the next statement, but had not responded to this one.'
  expect(await outcomes()).toEqual(['SELECT', unanswered, unanswered])
  expect(ends).toEqual(['the end'])
})

it('the last statement is rejected if an error arrives after all responses', async () => {
  const { flight, outcomes, ends } = await flightOfThree()
  for (const text of ['BEGIN', 'SELECT 1', 'INSERT 0 1']) flight.handleCommandComplete({ text })
  flight.handleError(new Error('a deferred constraint'))
  expect(await outcomes()).toEqual(['BEGIN', 'SELECT', 'a deferred constraint'])
  expect(ends).toEqual(['the end'])
})
