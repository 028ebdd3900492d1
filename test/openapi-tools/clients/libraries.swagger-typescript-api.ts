import assert from 'node:assert/strict'
import { Api } from '../.cache/generated/libraries/swagger-typescript-api/api.js'

export async function drive(origin: string): Promise<void> {
  const api = new Api({ baseUrl: origin })
  const thing = {
    name: 'Thing',
    count: 1,
    tags: ['a'],
    color: null,
    point: [1, 2],
    extra: { a: 1 },
    choice: { kind: 'b', b: 2 } as const,
  }
  const creators = [
    api.valibot.valibotCreate,
    api.arktype.arktypeCreate,
    api.typebox.typeboxCreate,
    api.json.jsonCreate,
  ] as const
  for (const create of creators) {
    const created = await create(thing)
    const color: 'red' | 'green' | null = created.data.data.color
    assert.equal(color, null)
    const { choice } = created.data.data
    assert.equal(choice.kind === 'b' && choice.b, 2)
    const refused = await create({} as never).catch(({ status }: { status: number }) => status)
    assert.equal(refused, 400)
  }
  const listed = await api.valibot.valibotList({ tag: ['a'] })
  assert.equal(listed.status, 200)
}
