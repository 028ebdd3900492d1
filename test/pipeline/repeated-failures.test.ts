import { ServiceUnavailableError } from 'blazon'
import { expect, it } from 'vitest'
import { RepeatedFailures } from '../../src/pipeline/repeated-failures.js'

it('the failures of an outage that are not logged yet are logged at the end, and later ones are not counted', () => {
  const lines: object[] = []
  const logger = { info() {}, warn() {}, error: (facts: object) => void lines.push(facts) }
  const clock = { setTimeout: () => ({ cancel() {} }) }
  const counter = new RepeatedFailures({ logger, clock: clock as never })
  const fail = () => counter.note(new ServiceUnavailableError('down', { code: 'DOWN' }))
  for (let i = 0; i < 4; i++) fail()
  counter.close()
  expect(lines).toEqual([{ code: 'DOWN', status: 503, count: 3 }])
  expect([fail(), fail()]).toEqual([false, false])
})
