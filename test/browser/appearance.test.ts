import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it, vi } from 'vitest'
import { violations } from './axe.js'
import { describeInChromium, pagesOfFile } from './chromium.js'
import { type PageKind, peer } from './peer.js'
import { openShop } from './shop.js'

vi.mock('../../src/features/docs/find-swagger-ui.js', async (importOriginal) =>
  (await import('./peer.js')).peer.mock(importOriginal),
)

const folder = fileURLToPath(new URL('../../.artifacts/screenshots', import.meta.url))

const CASES = (['swagger-ui', 'built-in'] as const).flatMap((kind) =>
  [1280, 320].flatMap((width) =>
    (['light', 'dark'] as const).map((scheme) => ({ kind, width, scheme })),
  ),
)

async function openAll(page: Page, kind: PageKind): Promise<void> {
  if (kind === 'built-in') {
    for (const summary of await page.locator('details summary').all()) await summary.click()
    return
  }
  await page.locator('.opblock').first().waitFor()
  for (const block of await page.locator('.opblock').all()) {
    await block.locator('.opblock-summary-control').click()
    await block.locator('.opblock-body .responses-wrapper').waitFor()
  }
}

/** The relative luminance (WCAG 2) of the background of the page. */
async function luminance(page: Page): Promise<number> {
  return page.evaluate(`(() => {
    const colors = [document.body, document.documentElement]
      .map((element) => getComputedStyle(element).backgroundColor.match(/[\\d.]+/g).map(Number))
    const [red, green, blue] = colors.find(([, , , alpha = 1]) => alpha > 0)
    const linear = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  })()`)
}

describeInChromium('the documentation page', () => {
  const open = pagesOfFile()
  beforeAll(() => {
    mkdirSync(folder, { recursive: true })
  })

  it.each(CASES)(
    'fits into $width px and has a $scheme background ($kind)',
    async ({ kind, width, scheme }) => {
      peer.isHidden = kind === 'built-in'
      await using shop = await openShop()
      const { page, problems } = await open(shop.origin, {
        viewport: { width, height: 900 },
        colorScheme: scheme,
      })
      await page.goto(`${shop.url}/api-docs`)
      await openAll(page, kind)
      const [content, window] = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, innerWidth]',
      )
      expect(content).toBeLessThanOrEqual(window)
      expect((await luminance(page)) < 0.5).toBe(scheme === 'dark')
      await page.evaluate('scrollTo(0, 0)')
      const path = `${folder}/${kind}-${width}-${scheme}.png`
      await page.screenshot({ path, fullPage: true, animations: 'disabled' })
      if (kind === 'swagger-ui') {
        await page.locator('.btn.authorize').click()
        const dialog = await page.locator('.modal-ux').boundingBox()
        expect(dialog?.x).toBeGreaterThanOrEqual(0)
        expect((dialog?.x ?? 0) + (dialog?.width ?? 0)).toBeLessThanOrEqual(width)
        await page.screenshot({ path: path.replace('.png', '-authorize.png') })
      } else expect(await violations(page)).toEqual([])
      expect(problems).toEqual([])
    },
  )

  it('switches to dark mode together with the browser (swagger-ui)', async () => {
    peer.isHidden = false
    await using shop = await openShop()
    const { page } = await open(shop.origin, { colorScheme: 'light' })
    await page.goto(`${shop.url}/api-docs`)
    await page.locator('.opblock').first().waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('html.dark-mode').waitFor()
    expect(await luminance(page)).toBeLessThan(0.5)
  })
})
