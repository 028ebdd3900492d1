import { expect, it, onTestFinished } from 'vitest'
import { watchDirectCalls } from '../../src/features/outgoing/direct-calls.js'
import { Hosts } from '../../src/features/outgoing/hosts.js'
import { otherHost } from '../journeys/outgoing/other-host.js'

it('the states of 1,000 hosts are stored, and the oldest one is deleted for a further host', () => {
  const hosts = new Hosts()
  const states = Array.from({ length: 1000 }, (_, n) => hosts.of(`h${n}`))
  for (const [n, state] of [...states.entries()].reverse()) expect(hosts.of(`h${n}`)).toBe(state)
  hosts.of('h1000')
  expect(hosts.of('h1')).toBe(states[1])
  expect(hosts.of('h999')).toBe(states[999])
  expect(hosts.of('h0')).not.toBe(states[0])
})

it('the warnings about direct calls name each place once, until the watch ends', async () => {
  const host = await otherHost((_req, res) => void res.end())
  const [warnings, stacks]: [string[], string[]] = [[], []]
  let place: string | null = 'src/a.ts:1:2'
  let isInRequest = false
  const end = watchDirectCalls({
    isInRequest: () => isInRequest,
    placeIn(stack) {
      stacks.push(stack)
      return place
    },
    warn: (message) => void warnings.push(message),
  })
  onTestFinished(end)
  const { stackTraceLimit } = Error
  await fetch(host.url)
  expect(warnings).toEqual([])
  isInRequest = true
  await fetch(host.url)
  await fetch(host.url)
  expect(warnings).toEqual([
    expect.stringMatching(/^src\/a\.ts:1:2 calls http:\/\/127\.0\.0\.1:\d+ with fetch\. /),
  ])
  expect(stacks[0]).toContain('outgoing-hosts.test')
  place = null
  await fetch(host.url)
  place = 'src/b.ts:3:4'
  await fetch(host.url)
  expect(warnings).toHaveLength(2)
  end()
  place = 'src/c.ts:5:6'
  await fetch(host.url)
  expect(warnings).toHaveLength(2)
  expect(Error.stackTraceLimit).toBe(stackTraceLimit)
})
