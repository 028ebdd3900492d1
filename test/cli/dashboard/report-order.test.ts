import { expect, it } from 'vitest'
import type { RouteExplanation } from '../../../src/app/explain/explanation.js'
import { Reports } from '../../../src/cli/dev/child/report-requests.js'
import type { ChildMessage } from '../../../src/cli/dev/protocol.js'
import { turns } from '../../journeys/turns.js'
import { reported } from './records.js'
import { ROUTE } from './routes.js'

/** Reports, and what they have sent: the kind of each message, with the path of a request. */
function opened() {
  const sent: string[] = []
  const send = (message: ChildMessage) =>
    void sent.push(
      message.kind === 'request' ? `request ${message.request.record.url}` : message.kind,
    )
  const reports = new Reports({ send })
  const take = (url: string) => reports.take(reported({ url }))
  /** Starts an application whose explanation is in the hands of the test. */
  const start = () => {
    let explain = () => {}
    let fail = () => {}
    const explained = new Promise<readonly RouteExplanation[]>((resolve, reject) => {
      explain = () => resolve([ROUTE])
      fail = () => reject(new Error('a mistake'))
    })
    reports.started(() => explained)
    return { explain, fail }
  }
  return { sent, take, start }
}

it('sends the routes before the requests that end while they are explained', async () => {
  const { sent, take, start } = opened()
  const app = start()
  take('/1')
  take('/2')
  await turns()
  expect(sent).toEqual([])
  app.explain()
  await turns()
  take('/3')
  await turns()
  expect(sent).toEqual(['routes', 'request /1', 'request /2', 'request /3'])
})

it('waits for the routes of all applications of the process', async () => {
  const { sent, take, start } = opened()
  const [one, other] = [start(), start()]
  take('/1')
  other.explain()
  await turns()
  expect(sent).toEqual(['routes'])
  one.explain()
  await turns()
  expect(sent).toEqual(['routes', 'routes', 'request /1'])
})

it('sends the requests of an application whose routes cannot be explained', async () => {
  const { sent, take, start } = opened()
  const app = start()
  take('/1')
  app.fail()
  await turns()
  expect(sent).toEqual(['request /1'])
})

it('sends a request after the log lines of its turn', async () => {
  const { sent, take } = opened()
  setImmediate(() => void sent.push('log'))
  take('/1')
  await turns()
  expect(sent).toEqual(['log', 'request /1'])
})
