import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { leadOf, searchTextOf } from '../search-text.mjs'
import { site } from './built-site.js'

interface Section {
  readonly title: string
  readonly lead?: string
}

/** What the search shows of each section of the site, by the address of the section. */
async function sections(): Promise<Map<string, Section>> {
  const chunks = join(site, 'assets/chunks')
  const name = readdirSync(chunks).find((one) => one.startsWith('@localSearchIndexroot'))
  const { default: json } = await import(pathToFileURL(join(chunks, `${name}`)).href)
  const { documentIds, storedFields } = JSON.parse(json)
  return new Map(
    Object.entries(storedFields).map(([key, one]) => [documentIds[key], one as Section]),
  )
}

describe('the search index', () => {
  it('contains the beginning of the text below each heading', async () => {
    const found = await sections()
    expect(found.size).toBeGreaterThan(500)
    const pages = [...found].filter(([id]) => !id.includes('/api/'))
    // A heading may be followed by another one at once.
    const bare = pages.filter(([, { lead = '' }]) => lead.trim() === '')
    expect(bare.length / pages.length).toBeLessThan(0.02)
    expect(found.get('/rate-limits.html#rate-limits')?.lead).toMatch(
      /^If a request exceeds a rate limit, the response is 429, .* …$/,
    )
  })
})

describe('the indexed text of a page', () => {
  const render = (html: string, words = new Map([['a.md', 'throttle']])) =>
    searchTextOf(words)('', { relativePath: 'a.md' }, { options: {}, render: () => html })

  it('contains the search words from the navigation at the end of the first section', () => {
    expect(render('<h1>A</h1><p>text</p><h2>B</h2>')).toBe(
      '<h1>A</h1><p>text</p><p>throttle</p><h2>B</h2>',
    )
    expect(render('<h1>A</h1><p>text</p>')).toBe('<h1>A</h1><p>text</p><p>throttle</p>')
  })

  it('is written without highlighting, which the page itself keeps', () => {
    const highlight = () => '<span>const</span>'
    const md = { options: { highlight }, render: () => `${md.options.highlight}` }
    expect(searchTextOf(new Map())('', { relativePath: 'a.md' }, md)).toBe('null')
    expect(md.options.highlight).toBe(highlight)
  })

  it('does not contain the language names of code blocks', () => {
    expect(render('<p>a</p><span class="lang">ts</span><pre>b</pre>', new Map())).toBe(
      '<p>a</p><pre>b</pre>',
    )
  })
})

describe('the beginning of a text', () => {
  it('is one line of whole words', () => {
    expect(leadOf('\n a\n\n b ')).toBe('a b')
    expect(leadOf('word '.repeat(50))).toBe(`${'word '.repeat(31)}word …`)
  })
})
