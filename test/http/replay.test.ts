import { replayResponse } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'

it('a stored header whose value looks like a Content-Type is sent under its own name', async () => {
  const format = 'application/json; charset=utf-8'
  const app = await TestApp.create({
    controllers: [],
    middlewares: [
      (_req, res) => replayResponse(res, { headers: ['X-Format', format], body: 'kept' }),
    ],
  })
  const { headers, status } = await app.request().get('/')
  await app.close()
  expect([status, headers['x-format']]).toEqual([200, format])
  expect(headers).not.toHaveProperty('content-type')
})
