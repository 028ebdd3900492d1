import assert from 'node:assert/strict'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { options } from '../src/app.js'

describe('the application', () => {
  let app: TestApp

  beforeEach(async () => {
    app = await TestApp.create({ ...options, contract: 'throw' })
  })

  afterEach(() => app?.close())

  it('returns a greeting with the name in the path', async () => {
    const { body } = await app.request().get('/hello/Ada').expect(200)
    assert.deepEqual(body.data, { greeting: 'Hello Ada' })
  })

  it('responds with 404 if the path is unknown', async () => {
    await app.request().get('/nothing').expect(404)
  })
})
