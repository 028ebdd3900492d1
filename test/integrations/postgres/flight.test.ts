import { PostgresError } from 'blazon/postgres'
import { expect, it } from 'vitest'
import {
  flightOf as flightClass,
  PgStep,
} from '../../../src/integrations/postgres/drivers/flight.js'
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
  const Flight = flightClass({ Query })
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

/** A wire that lists the messages that are written to it. */
function openWire(failure?: Error) {
  const written: string[] = []
  const write = (name: string) => (argument?: object | string) => {
    if (failure !== undefined && name === 'execute') throw failure
    written.push(argument === undefined ? name : `${name} ${JSON.stringify(argument)}`)
  }
  const names = ['query', 'parse', 'bind', 'describe', 'execute', 'sync']
  return { wire: Object.fromEntries(names.map((name) => [name, write(name)])), written }
}

async function flightOf(steps: readonly PgStep[]) {
  const { Query } = await loadPg()
  const events: string[] = []
  const flight = new (flightClass({ Query }))(steps, {
    onWrite: () => events.push('write'),
    onUnwritten: (error) => events.push(`unwritten ${error.message}`),
    onStep: () => events.push('step'),
    onEnd: () => events.push('end'),
    explain: (error) => error as Error,
  }) as unknown as Answered & {
    submit(wire: object): null
    handleRowDescription(message: { fields: object[] }): void
    handleDataRow(message: { fields: (string | null)[] }): void
    handleEmptyQuery(): void
    callback: () => void
  }
  return { flight, events }
}

it('a flight writes the messages of its statements, and one Sync', async () => {
  const own = { text: 'select 2', values: [7], hasNoReader: true }
  const steps = [new PgStep({ text: 'select 1' }, false), new PgStep(own, false)]
  const { flight, events } = await flightOf(steps)
  const { wire, written } = openWire()
  expect(flight.submit(wire)).toBeNull()
  const read = [
    'parse {"text":"select 1"}',
    'bind {"values":[]}',
    'describe {"type":"P"}',
    'execute',
  ]
  const unread = ['parse {"text":"select 2"}', 'bind {"values":["7"]}', 'execute']
  expect(written).toEqual([...read, ...unread, 'sync'])
  expect(events).toEqual(['write'])
  const command = await flightOf([new PgStep({ text: 'COMMIT' }, true)])
  const simple = openWire()
  command.flight.submit(simple.wire)
  expect(simple.written).toEqual(['query "COMMIT"'])
})

it('a message that cannot be written is reported', async () => {
  const { flight, events } = await flightOf([new PgStep({ text: 'select 1' }, false)])
  flight.submit(openWire(new Error('too large')).wire)
  expect(events).toEqual(['write', 'unwritten too large'])
})

it('each statement of a flight gets its own rows, and its number of rows', async () => {
  const texts = ['a', 'b', '', 'c', 'd']
  const steps = texts.map((text) => new PgStep({ text, hasNoReader: text === 'd' }, false))
  const { flight, events } = await flightOf(steps)
  const fields = [{ name: 'n', dataTypeID: 23 }]
  flight.handleRowDescription({ fields })
  flight.handleDataRow({ fields: ['1'] })
  flight.handleDataRow({ fields: [null] })
  flight.handleCommandComplete({ text: 'SELECT 2' })
  flight.handleCommandComplete({ text: 'INSERT 0 3' })
  flight.handleEmptyQuery()
  flight.handleCommandComplete({ text: 'CREATE TABLE' })
  flight.handleDataRow({ fields: ['4'] })
  flight.handleCommandComplete({ text: 'SELECT 1' })
  flight.handleReadyForQuery()
  flight.handleReadyForQuery()
  const results = await Promise.all(steps.map(({ promise }) => promise))
  expect(results.map(({ rows, command, rowCount }) => [rows, command, rowCount])).toEqual([
    [[{ n: 1 }, { n: null }], 'SELECT', 2],
    [[], 'INSERT', 3],
    [[], '', 0],
    [[], 'CREATE', 0],
    [[], 'SELECT', 1],
  ])
  expect(results[0]?.fields).toEqual(fields)
  expect(events.filter((each) => each === 'step')).toHaveLength(5)
})

it('statements after a refused one are not run, but a lost connection fails all of them', async () => {
  const refused = new PostgresError('refused', { code: '23505' })
  for (const [error, later] of [
    [refused, { code: '25P02' }],
    [new Error('lost'), { message: 'lost' }],
  ] as const) {
    const steps = ['first', 'second', 'third'].map((text) => new PgStep({ text }, false))
    const { flight } = await flightOf(steps)
    flight.handleCommandComplete({ text: 'BEGIN' })
    flight.handleError(error)
    const [first, second, third] = await Promise.allSettled(steps.map(({ promise }) => promise))
    expect(first).toMatchObject({ value: { command: 'BEGIN' } })
    expect(second).toMatchObject({ reason: error })
    expect(third).toMatchObject({ reason: later })
  }
})

it('a value that cannot be read fails only its statement', async () => {
  const steps = ['first', 'second'].map((text) => new PgStep({ text }, false))
  const { flight } = await flightOf(steps)
  flight.handleRowDescription({ fields: [{ name: 'n', dataTypeID: 114 }] })
  flight.handleDataRow({ fields: ['{'] })
  for (const _ of steps) flight.handleCommandComplete({ text: 'SELECT 1' })
  flight.handleReadyForQuery()
  const [first, second] = await Promise.allSettled(steps.map(({ promise }) => promise))
  expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled'])
})
