import { beforeEach, expect, it, vi } from 'vitest'
import { CapsuleNotes } from '../../../src/cli/dev/dashboard/dashboard.js'
import { reported } from './records.js'

const ERROR = { status: 500, code: 'INTERNAL_SERVER_ERROR', name: 'TypeError', message: '' }

beforeEach(() => void vi.stubEnv('npm_config_user_agent', ''))

/** Notes, and how requests fail. */
function opened() {
  const lines: string[] = []
  const notes = new CapsuleNotes((line) => lines.push(line))
  const fail = (id: string, record: Parameters<typeof reported>[0] = {}) =>
    notes.add(
      reported(
        { status: 500, error: { ...ERROR, stack: null }, ...record },
        { capsule: { id, folder: '.blazon/capsules' } },
      ),
    )
  return { notes, lines, fail }
}

it('the note about a failed request names the route and the command, but no data from the client', () => {
  const { lines, fail } = opened()
  fail('a1', { url: '/orders/7?note=private' })
  expect(lines).toEqual([
    'blazon dev: GET /orders/:id failed. To run it again: npx blazon replay a1',
  ])
})

it('the note about a failed request without a route names the path', () => {
  const { lines, fail } = opened()
  fail('a1', { url: '/old', route: null })
  expect(lines).toEqual(['blazon dev: GET /old failed. To run it again: npx blazon replay a1'])
})

it('a repeated failure of a route is reported once per class of error until the code changes', () => {
  const { notes, lines, fail } = opened()
  fail('a1')
  fail('a2', { url: '/orders/8' })
  fail('a3', { error: { ...ERROR, stack: null, name: 'RangeError' } })
  fail('a4', { route: { name: 'Orders.list', method: 'GET', path: '/orders' } })
  notes.restart()
  fail('a5')
  expect(lines.map((line) => line.split(' ').at(-1))).toEqual(['a1', 'a3', 'a4', 'a5'])
})

it('a request without a capsule is not reported', () => {
  const { notes, lines } = opened()
  notes.add(reported({ status: 503 }))
  expect(lines).toEqual([])
})
