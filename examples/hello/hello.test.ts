import { ContractCoverage, TestApp } from 'blazon/testing'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { options } from './app.js'

describe('the users API', () => {
  const coverage = new ContractCoverage()
  let app: TestApp

  beforeEach(async () => {
    app = await TestApp.create({ ...options, contract: 'throw', coverage })
  })

  afterEach(() => app.close())
  afterAll(() => coverage.check({ operations: 100, statuses: 100 }))

  it('returns a user, and responds with 404 for an unknown user', async () => {
    const { body } = await app.request().get('/users/0').expect(200)
    expect(body.data).toEqual({ id: 0, name: 'Ada', email: 'ada@example.com' })
    const missing = await app.request().get('/users/70000').expect(404)
    expect(missing.body.message).toBe('User 70000 does not exist')
  })

  it('creates a user, and returns the user by its ID', async () => {
    const grace = { name: 'Grace', email: 'Grace@Example.com' }
    const { body } = await app.request().post('/users').send(grace).expect(201)
    expect(body.data).toMatchObject({ name: 'Grace', email: 'grace@example.com' })
    const found = await app.request().get(`/users/${body.data.id}`).expect(200)
    expect(found.body.data).toEqual(body.data)
  })

  it('reports all errors of a request', async () => {
    const { body } = await app.request().post('/users').send({ name: '' }).expect(400)
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(['name', 'email'])
    await app.request().get('/users/ada').expect(400)
  })

  it('responds to generated requests as documented', async () => {
    const report = await app.fuzz({ seed: 1 })
    expect(report).toMatchObject({ operations: 2, requests: 100, refused: [] })
  })
})
