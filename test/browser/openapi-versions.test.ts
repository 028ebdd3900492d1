import { expect, it, vi } from 'vitest'
import { describeInChromium, pagesOfFile } from './chromium.js'
import { type PageKind, peer } from './peer.js'
import { openShop } from './shop.js'

vi.mock('../../src/features/docs/find-swagger-ui.js', async (importOriginal) =>
  (await import('./peer.js')).peer.mock(importOriginal),
)

const KINDS: readonly PageKind[] = ['swagger-ui', 'built-in']
const VERSIONS = ['3.0', '3.1', '3.2'] as const

describeInChromium('the documentation page', () => {
  const open = pagesOfFile()

  it.each(KINDS.flatMap((kind) => VERSIONS.map((openapi) => ({ kind, openapi }))))(
    'shows the operations of a document in OpenAPI $openapi ($kind)',
    async ({ kind, openapi }) => {
      peer.isHidden = kind === 'built-in'
      await using shop = await openShop({ swagger: { openapi } })
      const { page, problems } = await open(shop.origin)
      await page.goto(`${shop.url}/api-docs`)
      const shown = page.locator(kind === 'swagger-ui' ? '.opblock' : 'article.operation')
      await shown.first().waitFor()
      expect(await shown.count()).toBeGreaterThan(4)
      expect(await page.locator('.errors-wrapper, .loading-container').count()).toBe(0)
      expect(problems).toEqual([])
    },
  )
})
