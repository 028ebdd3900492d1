import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { paths } from '../.cache/generated/libraries/openapi-typescript/schema.js'

export async function drive(origin: string): Promise<void> {
  const client = createClient<paths>({ baseUrl: origin })
  for (const path of ['/valibot', '/arktype', '/typebox', '/json'] as const) {
    const created = await client.POST(path, {
      body: {
        name: 'Thing',
        count: 1,
        tags: ['a'],
        color: null,
        point: [1, 2],
        extra: { a: 1 },
        choice: { kind: 'a', a: 'a' },
      },
    })
    const color: 'red' | 'green' | null | undefined = created.data?.data.color
    assert.equal(color, null)
    const choice = created.data?.data.choice
    assert.equal(choice?.kind === 'a' && choice.a, 'a')
    const listed = await client.GET(path, { params: { query: { tag: ['a'] } } })
    assert.equal(listed.response.status, 200)
  }
  const wrong = await client.POST('/json', { body: {} as never })
  assert.equal(wrong.error?.status, 400)
}
