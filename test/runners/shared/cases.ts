import assert from 'node:assert/strict'
import type { AppOptions, Token } from 'blazon'
import { TestApp } from 'blazon/testing'

/** An application of either dialect. */
export interface NotesApp {
  readonly options: AppOptions
  readonly Clock: Token<{ now(): string }>
  /** The names of the providers that were closed. */
  readonly closed: string[]
}

/** A test for any runner. It uses the assertions of Node, so that all runners run the same code. */
export interface Case {
  readonly name: string
  readonly run: () => Promise<void>
}

/** The tests for every runner, and one more, which fails, if `PLANTED_FAILURE` is set. */
export function casesOf({ options, Clock, closed }: NotesApp): Case[] {
  const clock = { now: () => 'noon' }
  const create = () =>
    TestApp.create({ ...options, testOverrides: [{ token: Clock, useValue: clock }] })

  /** Runs a test on an application of its own, which it closes. */
  async function within(use: (app: TestApp) => Promise<void>): Promise<void> {
    const app = await create()
    await use(app).finally(() => app.close())
  }

  const cases: Case[] = [
    {
      name: 'responds with the value of an override',
      run: () =>
        within(async (app) => {
          const { status, body } = await app.request().get('/notes/7')
          assert.equal(status, 200)
          assert.deepEqual(body.data, { id: '7', readAt: 'noon' })
        }),
    },
    {
      name: 'rejects a body that its schema does not accept',
      run: () =>
        within(async (app) => {
          const { status, body } = await app.withAuth('good').request().post('/notes').send({})
          assert.equal(status, 400)
          assert.equal(body.code, 'VALIDATION_FAILED')
        }),
    },
    {
      name: 'responds with 401 to a request without an accepted token',
      run: () =>
        within(async (app) => {
          const post = () => app.request().post('/notes').send({ text: 'milk' })
          assert.equal((await post()).status, 401)
          app.withAuth('good')
          const { status, body } = await post()
          assert.equal(status, 201)
          assert.deepEqual(body.data, { text: 'milk' })
        }),
    },
    {
      name: 'calls onClose of a provider once if close() is called twice',
      async run() {
        closed.length = 0
        const app = await create()
        assert.deepEqual(closed, [])
        await Promise.all([app.close(), app.close()])
        assert.deepEqual(closed, ['Notebook'])
      },
    },
  ]
  if (process.env['PLANTED_FAILURE'] !== undefined) {
    const run = () => within(async (app) => void (await app.request().get('/notes/7').expect(404)))
    cases.push({ name: 'fails on purpose', run })
  }
  return cases
}
