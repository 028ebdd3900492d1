import {
  ApiBody,
  ApiOperation,
  ApiResponseDoc,
  ApiTags,
  type AppOptions,
  Controller,
  defineControllers,
  Post,
  Query,
} from 'blazon'
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { describeInChromium, pagesOfFile } from './chromium.js'
import { type PageKind, peer } from './peer.js'
import { openShop } from './shop.js'

vi.mock('../../src/features/docs/find-swagger-ui.js', async (importOriginal) =>
  (await import('./peer.js')).peer.mock(importOriginal),
)

/** Markup that attackers may bring into a document. Each line would set a global variable if the browser ran it. */
const EVIL = [
  '<script>globalThis.pwned = 1</script>',
  '<img src="/nothing.png" onerror="globalThis.pwned = 1">',
  '<svg onload="globalThis.pwned = 1"><animate onbegin="globalThis.pwned = 1" attributeName="x">',
  '<iframe srcdoc="<script>parent.pwned = 1</script>"></iframe>',
  '<form action="/stolen"><input autofocus onfocus="globalThis.pwned = 1"></form>',
  '<a href="javascript:globalThis.pwned = 1">here</a>',
  '[here](javascript:globalThis.pwned=1)',
  '<style>* { display: none !important }</style>',
  '</title></textarea></script><script>globalThis.pwned = 1</script>',
].join('\n')

const schema = {
  type: 'object',
  description: EVIL,
  properties: { field: { type: 'string', description: EVIL, example: EVIL, default: EVIL } },
} as const

@Controller('evil')
@ApiTags(EVIL)
class EvilController {
  @Post()
  @ApiOperation({ summary: EVIL, description: EVIL, operationId: 'evil' })
  @Query({
    type: 'object',
    properties: { q: { type: 'string', description: EVIL, example: EVIL } },
  })
  @ApiBody({ schema, description: EVIL })
  @ApiResponseDoc({ status: 200, description: EVIL, schema })
  create() {
    return { said: EVIL }
  }
}

const options: Partial<AppOptions> = {
  controllers: defineControllers(EvilController),
  swagger: {
    title: EVIL,
    description: EVIL,
    version: EVIL,
    contact: { name: EVIL, url: 'javascript:globalThis.pwned=1' },
    license: { name: EVIL, url: 'javascript:globalThis.pwned=1' },
    termsOfService: 'javascript:globalThis.pwned=1',
    tags: [{ name: EVIL, description: EVIL }],
  },
}

/** Elements that can run, load, send or cover something, and elements with event handlers. */
async function active(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.body.querySelectorAll('*')]
    .filter((element) =>
      ['SCRIPT', 'IFRAME', 'OBJECT', 'EMBED', 'STYLE', 'LINK', 'META', 'BASE'].includes(element.tagName) ||
      element.getAttributeNames().some((name) => name.startsWith('on')) ||
      /^\\s*(javascript|data):/i.test(element.getAttribute('href') ?? '') ||
      (element.getAttribute('action') ?? '').includes('stolen'))
    .map((element) => element.outerHTML)`)
}

describeInChromium('a document full of markup', () => {
  const open = pagesOfFile()

  it.each<PageKind>(['swagger-ui', 'built-in'])(
    'runs no code on the documentation page (%s)',
    async (kind) => {
      peer.isHidden = kind === 'built-in'
      await using shop = await openShop(options)
      const { page } = await open(shop.origin)
      await page.goto(`${shop.url}/api-docs`)
      expect(await page.title()).toBe(EVIL.replaceAll('\n', ' '))
      if (kind === 'swagger-ui') {
        await page.locator('.opblock-summary-control').click()
        await page.locator('.execute').click()
        await page.locator('.live-responses-table .response').waitFor()
        for (const tab of await page.locator('.tablinks[data-name="model"]').all())
          await tab.click()
      } else {
        for (const summary of await page.locator('details summary').all()) await summary.click()
        expect(await page.locator('img, form, input, svg').count()).toBe(0)
      }
      // Handlers of images and animations run after a turn of the event loop.
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
      expect(await active(page)).toEqual([])
      expect(await page.evaluate('globalThis.pwned')).toBeUndefined()
    },
  )
})
