import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, Response } from 'blazon'
import { describe, expect, it } from 'vitest'
import { settle } from './support.js'
import { alice, app, ask, behaviour, bob, gates, handled, useUsersApp } from './users-app.js'

useUsersApp()

describe('a user that is set after the cache step', () => {
  it('prevents the response from being cached if a plugin step sets the user', async () => {
    expect(await ask('/used', undefined, { 'X-Late': '{"id":"alice"}' })).toMatchObject({
      user: alice,
    })
    expect(await ask('/used', undefined, { 'X-Late': '{"id":"bob"}' })).toMatchObject({ user: bob })
    // An anonymous response could belong to a user that is set later. It is not stored either, and a warning is logged.
    for (let time = 0; time < 2; time++) {
      expect(await ask('/used')).toMatchObject({ state: 'BYPASS', user: 'nobody' })
    }
    const { decisions } = app.explain(await app.request().get('/used'))
    expect(decisions.find(({ by }) => by === 'cache')).toMatchObject({
      reason: 'the caller is set after the cache step',
    })
    expect(app.logs.map(({ message }) => message).join()).toMatch(
      /set or changed after the cache step/,
    )
  })

  it.each<[string, (req: Request, res: Response) => unknown]>([
    ['at once', (req) => Object.assign(req, { user: alice })],
    [
      'later',
      async (req) => {
        await sleep(1)
        req.user = alice as never
      },
    ],
    ['as an object without id', (req) => Object.assign(req, { user: {} })],
    [
      'and removes it',
      async (req) => {
        req.user = alice as never
        await sleep(1)
        req.user = undefined as never
      },
    ],
    ['in req.auth', (req) => Object.assign(req, { auth: alice })],
    ['in res.locals', (_, res) => Object.assign(res.locals, { user: alice })],
  ])(
    'prevents waiting requests from sharing the response if the handler sets the user %s',
    async (_, change) => {
      const answers = [ask('/inside'), ask('/inside'), ask('/inside')]
      await settle()
      expect(gates).toHaveLength(1)
      behaviour.before = change
      gates[0]?.resolve()
      await answers[0]
      behaviour.before = undefined
      await settle()
      expect(gates).toHaveLength(3)
      for (const gate of gates) gate.resolve()
      const made = await Promise.all(answers)
      expect(made.map(({ user }) => user).slice(1)).toEqual(['nobody', 'nobody'])
      // The next anonymous request bypasses the cache too: its user may be set in the same way.
      const next = ask('/inside')
      await settle()
      for (const gate of gates) gate.resolve()
      expect((await next).state).toBe('BYPASS')
    },
  )

  it('does not prevent caching if the handler sets the same user again', async () => {
    behaviour.before = (req) => Object.assign(req, { user: { ...alice, again: true } })
    const first = ask('/inside', alice)
    await settle()
    gates[0]?.resolve()
    await first
    expect((await ask('/inside', alice)).state).toBe('HIT')
  })

  it('prevents the response from being cached if the ID of the user changes', async () => {
    behaviour.before = (req) => Object.assign(req.user as object, { id: 'bob' })
    const first = ask('/inside', alice)
    await settle()
    gates[0]?.resolve()
    await first
    behaviour.before = undefined
    const second = ask('/inside', alice)
    await settle()
    expect(gates).toHaveLength(2)
    gates[1]?.resolve()
    expect(await second).toMatchObject({ state: 'MISS', user: alice })
    // Requests without a user are still cached.
    const third = ask('/inside')
    await settle()
    gates[2]?.resolve()
    expect((await third).state).toBe('MISS')
  })

  it('can be read by the handler after it was set', async () => {
    behaviour.before = (req) => Object.assign(req, { user: alice })
    const first = ask('/inside')
    await settle()
    gates[0]?.resolve()
    expect(await first).toMatchObject({ user: alice })
    expect(handled).toEqual([alice])
  })
})

describe('concurrent requests of several users', () => {
  it('wait only for requests of the same user', async () => {
    const answers = [alice, bob, alice, undefined, bob].map((who) => ask('/inside', who))
    await settle()
    expect(gates).toHaveLength(3)
    for (const gate of gates) gate.resolve()
    const users = (await Promise.all(answers)).map(({ user }) => user)
    expect(users).toEqual([alice, bob, alice, 'nobody', bob])
  })
})
