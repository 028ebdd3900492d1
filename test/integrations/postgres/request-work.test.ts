import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { RequestWork } from '../../../src/integrations/postgres/sessions/request-work.js'

/** The work of a request after its commit has succeeded or failed. */
async function workAfter(commit: () => Promise<void>) {
  const res = new ServerResponse(new IncomingMessage(new Socket()))
  const failed = new Promise<unknown>((resolve) => {
    const transaction = { commit, rollback: async () => {} }
    const config = {
      owner: null,
      begin: async () => transaction as never,
      finish: async () => resolve(undefined),
      isTransactional: false,
    }
    const work = new RequestWork(config, { req: {} as never, res: res as never, fail: resolve })
    void work.transaction()
    res.end('answered')
    Object.assign(res, { work })
  })
  const error = await failed
  return { error, work: (res as unknown as { work: RequestWork }).work }
}

it('a request can run separate statements after the commit', async () => {
  const { error, work } = await workAfter(async () => {})
  expect([error, work.isCommitted]).toEqual([undefined, true])
})

it('a request can start a transaction even if a first attempt found no connection', async () => {
  const res = new ServerResponse(new IncomingMessage(new Socket()))
  const ends: string[] = []
  const transaction = { commit: async () => ends.push('commit'), rollback: async () => {} }
  const outcomes = [Promise.reject(new Error('busy')), Promise.resolve(transaction)]
  const finished = new Promise<void>((resolve) => {
    const config = {
      owner: null,
      begin: () => outcomes.shift() as Promise<never>,
      finish: async () => resolve(),
      isTransactional: false,
    }
    const work = new RequestWork(config, { req: {} as never, res: res as never, fail: () => {} })
    Object.assign(res, { work })
  })
  const { work } = res as unknown as { work: RequestWork }
  await expect(work.transaction()).rejects.toThrow('busy')
  expect(await work.transaction()).toBe(transaction)
  res.end('answered')
  await finished
  expect(ends).toEqual(['commit'])
})

it('a request refuses statements after a failed commit', async () => {
  const { error, work } = await workAfter(() => Promise.reject(new Error('refused')))
  expect(error).toMatchObject({ message: 'refused' })
  expect(work.isCommitted).toBe(false)
  expect(() => work.transaction()).toThrow(/rolled back/)
})
