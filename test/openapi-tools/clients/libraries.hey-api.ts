import assert from 'node:assert/strict'
import { createClient } from '../.cache/generated/libraries/hey-api/client/index.js'
import {
  arktypeCreate,
  jsonCreate,
  typeboxCreate,
  valibotCreate,
  valibotList,
} from '../.cache/generated/libraries/hey-api/sdk.gen.js'

export async function drive(origin: string): Promise<void> {
  const client = createClient({ baseUrl: origin })
  for (const create of [valibotCreate, arktypeCreate, typeboxCreate, jsonCreate] as const) {
    const created = await create({
      client,
      body: {
        name: 'Thing',
        count: 1,
        tags: ['a'],
        color: null,
        point: [1, 2],
        extra: { a: 1 },
        choice: { kind: 'b', b: 2 },
      },
    })
    const color: 'red' | 'green' | null | undefined = created.data?.data.color
    assert.equal(color, null)
    const choice = created.data?.data.choice
    assert.equal(choice?.kind === 'b' && choice.b, 2)
    const wrong = await create({ client, body: {} as never })
    assert.equal(wrong.error?.status, 400)
  }
  const listed = await valibotList({ client, query: { tag: ['a', 'b'] } })
  assert.equal(listed.response?.status, 200)
}
