import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { Decorated, guard, NoteStore, Notes } from './notes-app.js'

const start = (controller: typeof Notes | typeof Decorated) =>
  TestApp.create({
    controllers: [controller],
    providers: [NoteStore],
    contract: 'throw',
    logger: false,
    auth: { guard, credentials: ['x-user'] },
  })

const named = (value: unknown) => JSON.stringify(value).replaceAll('Decorated', 'Notes')

it('field routes produce the same routes and document as decorated methods', async () => {
  await using fields = await start(Notes)
  await using methods = await start(Decorated)
  expect(fields.getRouteTable()).toHaveLength(8)
  expect(named(fields.getRouteTable())).toBe(named(methods.getRouteTable()))
  expect(named(fields.document)).toBe(named(methods.document))
})

const REQUESTS = [
  ['get', '/notes', {}],
  ['get', '/notes/1', {}],
  ['get', '/notes/7', {}],
  ['get', '/notes/x', {}],
  ['head', '/notes/1', {}],
  ['post', '/notes', { text: 'b' }],
  ['post', '/notes/', { text: 'c' }, 'ada'],
  ['post', '/notes', { text: '' }, 'ada'],
  ['put', '/notes/1', { text: 'd' }],
  ['patch', '/notes/1', { text: 'e' }],
  ['delete', '/notes/1', {}],
  ['delete', '/notes/1', {}, 'ada'],
  ['get', '/notes/export', {}, 'ada'],
  ['put', '/notes', {}],
] as const

it('field routes send the same responses as decorated methods', async () => {
  await using fields = await start(Notes)
  await using methods = await start(Decorated)
  const answersOf = async (app: TestApp) => {
    const answers: unknown[] = []
    for (const [method, path, body, user] of REQUESTS) {
      const request = app.request()[method](path)
      if (user !== undefined) request.set('x-user', user)
      const sent = await (method === 'get' || method === 'head' ? request : request.send(body))
      answers.push([method, path, sent.status, sent.body])
    }
    return answers
  }
  const answers = await answersOf(fields)
  expect(answers).toEqual(await answersOf(methods))
  expect(answers.slice(6, 9)).toEqual([
    ['post', '/notes/', 201, expect.objectContaining({ data: { id: 2, text: 'ada: c' } })],
    ['post', '/notes', 400, expect.objectContaining({ code: 'VALIDATION_FAILED' })],
    ['put', '/notes/1', 200, expect.objectContaining({ data: { id: 1, text: 'note d' } })],
  ])
})
