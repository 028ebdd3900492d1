import assert from 'node:assert/strict'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { options } from '../src/app.js'
import { Env } from '../src/env.js'

const API_TOKEN = 'a-token-of-the-tests'

describe('notes', () => {
  let app: TestApp

  beforeEach(async () => {
    app = await TestApp.create({
      ...options,
      contract: 'throw',
      testOverrides: [{ token: Env, useValue: Env.read({ API_TOKEN }) }],
    })
  })

  afterEach(() => app?.close())

  it('are added, listed and read', async () => {
    const caller = app.with({ authorization: `Bearer ${API_TOKEN}` })
    const added = await caller.request().post('/notes').send({ text: ' Buy milk ' }).expect(201)
    assert.deepEqual(added.body.data, { id: 1, text: 'Buy milk' })
    const read = await app.request().get('/notes/1').expect(200)
    assert.deepEqual(read.body.data, added.body.data)
    const list = await app.request().get('/notes?limit=1').expect(200)
    assert.deepEqual(list.body.data, [added.body.data])
  })

  it('are added only with the token', async () => {
    await app.request().post('/notes').send({ text: 'x' }).expect(401)
    await app.withAuth('wrong').request().post('/notes').send({ text: 'x' }).expect(401)
  })

  it('are refused with all errors of the input', async () => {
    const { body } = await app.withAuth(API_TOKEN).request().post('/notes').send({}).expect(400)
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      ['text'],
    )
    await app.request().get('/notes?limit=0').expect(400)
    await app.request().get('/notes/one').expect(400)
  })

  it('that do not exist are a 404', async () => {
    const { body } = await app.request().get('/notes/7').expect(404)
    assert.equal(body.message, 'Note 7 does not exist')
  })
})

describe('the service', () => {
  it('reports that it is ready', async () => {
    await using app = await TestApp.create({
      ...options,
      testOverrides: [{ token: Env, useValue: Env.read({}) }],
    })
    await app.request().get('/readyz').expect(200)
  })
})
