import assert from 'node:assert/strict'
import { TestApp } from 'blazon/testing'
import { it } from 'vitest'
import { options } from '../src/app.js'
import { withStores } from '../src/stores.js'

it('a new note causes exactly one mail, for its tenant', async () => {
  await using app = await TestApp.create(withStores(options, { DATABASE_FOLDER: 'memory' }))
  const ada = app.as({ id: 'ada', permissions: ['notes:write'] }).asTenant('acme')
  const add = () => ada.request().post('/notes').set('idempotency-key', 'one').send({ text: 'a' })
  const { body } = await add().expect(201)
  await add().expect(201)
  const { id } = body.data
  const [sent, ...others] = app.jobs.sent
  assert.deepEqual([sent?.name, sent?.input, sent?.tenant], ['note-added', { id }, 'acme'])
  assert.deepEqual(others, [])

  const [run] = await app.jobs.drain()
  assert.equal(run?.outcome, 'done')
  const mails = app.logs.filter(({ message }) => message.startsWith('A mail'))
  assert.deepEqual(
    mails.map(({ facts: { note, author } }) => ({ note, author })),
    [{ note: id, author: 'ada' }],
  )
})
