import type { OpenApiDocument } from 'blazon'
import type { Response } from 'express'
import helmet from 'helmet'
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { describeInChromium, pagesOfFile } from './chromium.js'
import { type PageKind, peer } from './peer.js'
import { openShop } from './shop.js'

vi.mock('../../src/features/docs/find-swagger-ui.js', async (importOriginal) =>
  (await import('./peer.js')).peer.mock(importOriginal),
)

const NOTHING = "default-src 'none'; frame-ancestors 'none'; sandbox"

const AROUND = {
  'without helmet': { options: { security: { helmet: false } }, middlewares: [] },
  "under the framework's policy for APIs": { options: {}, middlewares: [] },
  "under helmet's default policy": {
    options: { security: { helmet: false } },
    middlewares: [helmet()],
  },
  'under a policy that allows nothing': {
    options: { security: { helmet: false } },
    middlewares: [
      (_req: unknown, res: Response, next: () => void) => {
        res.set('Content-Security-Policy', NOTHING)
        res.set('Content-Security-Policy-Report-Only', NOTHING)
        next()
      },
    ],
  },
} as const

const KINDS: readonly PageKind[] = ['swagger-ui', 'built-in']
const PREFIXES = [undefined, '/v1/shop'] as const

const CASES = KINDS.flatMap((kind) =>
  Object.entries(AROUND).flatMap(([policy, around]) =>
    PREFIXES.map((prefix) => ({ kind, policy, around, prefix, place: prefix ?? 'the root' })),
  ),
)

/** The ids of the operations on a page of a kind, which groups them by tag. */
function operationIds({ paths, tags }: OpenApiDocument, kind: PageKind): string[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  return tags.flatMap(({ name }) =>
    operations
      .filter((operation) => operation.tags?.[0] === name)
      .map(({ operationId }) =>
        kind === 'swagger-ui' ? `operations-${name}-${operationId}` : `operation-${operationId}`,
      ),
  )
}

async function shown(page: Page, kind: PageKind): Promise<string[]> {
  const selector = kind === 'swagger-ui' ? '.opblock' : 'article.operation'
  await page.locator(selector).first().waitFor()
  return page.locator(selector).evaluateAll((found: { id: string }[]) => found.map(({ id }) => id))
}

describeInChromium('the documentation page', () => {
  const open = pagesOfFile()

  it.each(CASES)(
    'shows all operations at $place $policy ($kind)',
    async ({ kind, around, prefix }) => {
      peer.isHidden = kind === 'built-in'
      const { options, middlewares } = around
      await using shop = await openShop(options, { middlewares, ...(prefix && { prefix }) })
      const { page, problems } = await open(shop.origin)
      const document = (await (await fetch(`${shop.url}/api-docs.json`)).json()) as OpenApiDocument
      const ids = operationIds(document, kind)
      expect(ids.length).toBeGreaterThan(4)
      for (const path of ['/api-docs', '/api-docs/']) {
        await page.goto(shop.url + path)
        expect(await shown(page, kind)).toEqual(ids)
      }
      if (kind === 'swagger-ui') {
        await page.locator('#operations-Orders-Orders_list .opblock-summary-control').click()
        await page.locator('.execute').click()
        const status = page.locator('.live-responses-table .response .response-col_status')
        expect(await status.textContent()).toMatch(/^200/)
      } else {
        expect(await page.locator('script').count()).toBe(0)
        for (const [name, type] of [
          ['JSON', 'application/json'],
          ['YAML', 'application/yaml'],
        ] as const) {
          const link = page.getByRole('link', { name })
          const url = await link.evaluate((found: { href: string }) => found.href)
          expect((await fetch(url)).headers.get('content-type')).toContain(type)
        }
      }
      expect(problems).toEqual([])
    },
  )

  it.each(['url', 'configUrl', 'urls.primaryName', 'spec'])(
    'ignores ?%s= in a link (swagger-ui)',
    async (name) => {
      peer.isHidden = false
      await using shop = await openShop()
      const { page, problems } = await open(shop.origin)
      await page.goto(`${shop.url}/api-docs?${name}=${encodeURIComponent('https://example.com/x')}`)
      expect(await shown(page, 'swagger-ui')).toContain('operations-Orders-Orders_list')
      expect(await page.locator('.info .title').textContent()).toMatch(/^Shop/)
      expect(problems).toEqual([])
    },
  )

  it('opens the operation that the fragment of a link names (swagger-ui)', async () => {
    peer.isHidden = false
    await using shop = await openShop()
    const { page, problems } = await open(shop.origin)
    await page.goto(`${shop.url}/api-docs#/Orders/Orders_getById`)
    await page.locator('#operations-Orders-Orders_getById.is-open').waitFor()
    // swagger-ui prints this warning for every link with an underscore, also for its own links.
    expect(problems.filter((problem) => !problem.includes('Deprecated: escaping'))).toEqual([])
  })

  it('can be used with the keyboard alone (built-in)', async () => {
    peer.isHidden = true
    await using shop = await openShop()
    const { page } = await open(shop.origin)
    await page.goto(`${shop.url}/api-docs`)
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').textContent()).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).hash).toBe('#content')
    const link = page
      .locator('#operation-Orders_create')
      .getByRole('link', { name: 'Unauthorized' })
    await link.focus()
    await page.keyboard.press('Enter')
    expect(await page.locator('article:target h3').textContent()).toBe('Unauthorized')
    const hidden = page.locator('nav a').filter({ hasNotText: /\S/ })
    expect(await hidden.count()).toBe(0)
  })
})
