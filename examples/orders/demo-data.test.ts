import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { options } from './app.js'
import { isServerMissing, server } from './databases.js'
import { type Places, withStores } from './stores.js'

const start = (places: Places) =>
  TestApp.create({ ...withStores(options, places), contract: 'throw' })

/** Returns the data of both shops, as an auditor of both shops receives it. */
async function contentOf(app: TestApp): Promise<object> {
  const auditor = app.as({ id: 'amir' })
  const list = async (shop: string, what: string) => {
    const { body } = await auditor.asTenant(shop).request().get(`/${what}`).expect(200)
    return body.data.items.map(({ name, status }: Record<string, string>) => name ?? status)
  }
  return {
    aurora: [await list('aurora', 'customers'), await list('aurora', 'orders')],
    borealis: [await list('borealis', 'customers'), await list('borealis', 'orders')],
  }
}

const DEMO = {
  aurora: [
    ['Iris', 'Noor'],
    ['paid', 'open'],
  ],
  borealis: [['Otto'], ['paid']],
}

describe('the demo data', () => {
  it('is created at the first start, and not again at the second start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orders-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    for (let run = 1; run <= 2; run++) {
      await using app = await start({ DATABASE_FOLDER: folder })
      expect(await contentOf(app)).toEqual(DEMO)
    }
  })

  it.skipIf(isServerMissing)(
    'is created only once if several applications start at the same time',
    async () => {
      const { places, drop } = await server.make()
      onTestFinished(drop)
      const apps = await Promise.all([start(places), start(places), start(places)])
      onTestFinished(async () => {
        await Promise.all(apps.map((app) => app.close()))
      })
      for (const app of apps) expect(await contentOf(app)).toEqual(DEMO)
    },
  )
})
