import { HttpError } from 'blazon'
import { PostgresError } from 'blazon/postgres'
import { describe, expect, it } from 'vitest'
import {
  failureOf,
  isFull,
  isReadOnly,
  skipped,
  unavailable,
} from '../../../src/integrations/postgres/drivers/failures.js'

/** What PGlite adds to an error, with the values of the statement. */
const VALUES = { params: ['secret'], query: 'secret', queryOptions: { rowMode: 'array' } }

/** An error response of the server, as `pg` and PGlite throw it. */
function refusal(code: string, more: object = {}): Error {
  const fields = { code, severity: 'ERROR', ...VALUES, ...more }
  return Object.assign(new Error('refused'), fields)
}

/** The code of the response that a client gets, or the code of the refusal, and what the cause is. */
function outcomeOf(error: unknown): string {
  const cause = (error as Error).cause instanceof PostgresError ? ' of a refusal' : ''
  if (error instanceof PostgresError) return `refused ${error.code}`
  return HttpError.is(error) ? `${error.status} ${error.code}${cause}` : 'other'
}

const TIMEOUT = 'canceling statement due to statement timeout'
const UNAVAILABLE = '503 DATABASE_UNAVAILABLE'

describe('the failure of a statement', () => {
  it.each<[string, Error, string]>([
    ['a violated constraint', refusal('23505'), 'refused 23505'],
    [
      'a statement timeout',
      refusal('57014', { message: TIMEOUT }),
      '503 DATABASE_TIMEOUT of a refusal',
    ],
    [
      'a statement timeout that the server interrupted',
      refusal('57014', { message: TIMEOUT, routine: 'ProcessInterrupts' }),
      '503 DATABASE_TIMEOUT of a refusal',
    ],
    [
      'a COPY without rows',
      refusal('57014', { message: TIMEOUT, routine: 'CopyGetData' }),
      'refused 57014',
    ],
    ['a cancelled statement', refusal('57014'), 'refused 57014'],
    ['a transaction timeout', refusal('25P04'), '503 DATABASE_TIMEOUT of a refusal'],
    ['a write to a standby', refusal('25006'), `${UNAVAILABLE} of a refusal`],
    ['a full disk', refusal('53100'), `${UNAVAILABLE} of a refusal`],
    ['a lack of memory', refusal('53200'), `${UNAVAILABLE} of a refusal`],
    ['too many connections', refusal('53300'), UNAVAILABLE],
    ['an idle transaction', refusal('25P03'), UNAVAILABLE],
    ['a shutdown', refusal('57P01'), UNAVAILABLE],
    ['a session that was idle for too long', refusal('57P05'), UNAVAILABLE],
    ['a lost connection', refusal('08006'), UNAVAILABLE],
    ['a wrong number of values', refusal('08P01'), 'refused 08P01'],
    ['a fatal error with another code', refusal('XX000', { severity: 'FATAL' }), UNAVAILABLE],
    ['a crash of the server', refusal('XX000', { severity: 'PANIC' }), UNAVAILABLE],
    ['an internal error', refusal('XX000'), 'refused XX000'],
    ['an error of the network', Object.assign(new Error('x'), { code: 'EPIPE' }), UNAVAILABLE],
  ])('is converted for %s', (_, error, expected) => {
    expect(outcomeOf(failureOf(error))).toBe(expected)
  })

  it('is a timeout if a cancelled statement has run for the whole timeout', () => {
    expect(outcomeOf(failureOf(refusal('57014'), { hasRunLong: true }))).toBe(
      '503 DATABASE_TIMEOUT of a refusal',
    )
    expect(outcomeOf(failureOf(refusal('42601'), { hasRunLong: true }))).toBe('refused 42601')
  })

  it('is the known reason if the server has sent no response', () => {
    const lost = new Error('lost')
    expect(failureOf(new Error('socket'), { lose: () => lost })).toBe(lost)
    expect(failureOf(refusal('23505'), { lose: () => lost })).not.toBe(lost)
  })

  it('has the fields of the response, without the values of the statement', () => {
    const fields = {
      constraint: 'c',
      schema: 's',
      table: 't',
      column: 'n',
      detail: 'Key (n)=(1) exists.',
      hint: 'Try another.',
    }
    const failure = failureOf(refusal('23505', fields)) as PostgresError
    expect(failure).toMatchObject({ message: 'refused', code: '23505', ...fields })
    for (const name of Object.keys(VALUES)) expect(failure.cause).not.toHaveProperty(name)
  })

  it('that was converted before stays as it is', () => {
    for (const error of [unavailable('x'), skipped()]) expect(failureOf(error)).toBe(error)
    expect(skipped().code).toBe('25P02')
  })
})

it('a full server and a read-only server are recognized by their codes', () => {
  expect(['53300', '08P01', '08006', '25006'].map((code) => isFull(refusal(code)))).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(isFull(Object.assign(new Error('x'), { code: '53300' }))).toBe(false)
  expect(['25006', '25001'].map((code) => isReadOnly(refusal(code)))).toEqual([true, false])
})
