import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Controller, Get } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'

it('the ids of capsules sort by the time of the failure, even within a second', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-capsules-'))
  const fail: Record<string, () => void> = {}
  const begun = (name: string) => expect.poll(() => name in fail).toBe(true)

  @Controller('work')
  class WorkController {
    @Get(':name') work(req: { params: { name: string } }) {
      return new Promise((_resolve, reject) => {
        fail[req.params.name] = () => reject(new Error('No stock'))
      })
    }
  }

  const app = await TestApp.create({
    controllers: [WorkController],
    logger: false,
    records: { capsules: { folder } },
  })
  const names = () => readdirSync(folder).filter((name) => name.endsWith('.json'))
  try {
    app.clock.set('2026-01-01T00:00:00Z')
    // The last to fail is the first that begins.
    const order = Array.from({ length: 8 }, (_, index) => `r${index}`)
    const responses: Promise<Response>[] = []
    for (const name of order) {
      responses.push(app.fetch(`/work/${name}`))
      await begun(name)
      await app.clock.advance('5ms')
    }
    for (const [index, name] of order.toReversed().entries()) {
      fail[name]?.()
      await expect.poll(() => names().length).toBe(index + 1)
      await app.clock.advance('5ms')
    }
    await Promise.all(responses)
    const urls = names()
      .sort()
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).record.url)
    expect(urls).toEqual(order.toReversed().map((name) => `/work/${name}`))
  } finally {
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
