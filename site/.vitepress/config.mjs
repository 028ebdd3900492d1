// The settings of VitePress. build.mjs and serve.mjs say by variables which pages it reads, and for which address.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { anchorOf } from '../anchor.mjs'

const here = fileURLToPath(new URL('..', import.meta.url))
const pages = process.env['SITE_PAGES'] ?? join(here, '.cache/pages')
const { contents, version } = JSON.parse(readFileSync(join(pages, 'contents.json'), 'utf8'))
/** All versions of the site, the newest first, with the address of each. */
const versions = JSON.parse(
  process.env['SITE_VERSIONS'] ?? JSON.stringify([{ version, base: '/' }]),
)

const link = (path) => `/${path.replace(/(^|\/)index$/, '$1')}`
const sidebar = contents.map(({ text, items }) => ({
  text,
  items: items.map(([path, label]) => ({ text: label, link: link(path) })),
}))
const labels = new Map(contents.flatMap(({ items }) => items))

/** The page before or after a page, of the pages of the navigation. Pages of names of the API have none. */
const outsideOfNavigation = { prev: false, next: false }

export default defineConfig({
  title: 'Blazon',
  description: 'HTTP APIs in TypeScript from decorated controllers',
  lang: 'en',
  srcDir: pages,
  cacheDir: join(here, '.cache/vitepress'),
  outDir: process.env['SITE_OUT'] ?? join(here, '../.artifacts/site'),
  base: process.env['SITE_BASE'] ?? '/',
  // The sitemap and canonical addresses need an address, which a build without a network does not know.
  ignoreDeadLinks: false,
  lastUpdated: false,
  vite: {
    // Nothing of the repository but the pages is served.
    publicDir: false,
    server: { host: '127.0.0.1', strictPort: false },
    build: { chunkSizeWarningLimit: 8000 },
  },
  markdown: {
    // A URL without the brackets of a link is text, such as the address of an application that a reader starts.
    linkify: false,
    // Colours with a contrast of 4.5 and more.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchorOf },
    toc: { slugify: anchorOf },
    languageAlias: { console: 'shellsession' },
    config(md) {
      // A wide table or block of code scrolls, so the keyboard has to reach it.
      md.renderer.rules.table_open = () =>
        '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n'
      md.renderer.rules.table_close = () => '</table></div>\n'
    },
  },
  transformPageData(page) {
    const path = page.relativePath.replace(/\.md$/, '')
    if (labels.has(path) || path === 'index') return
    Object.assign(page.frontmatter, outsideOfNavigation)
  },
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/tutorial/1-routes', activeMatch: '^/tutorial/' },
      { text: 'Guides', link: '/tour' },
      { text: 'Configuration', link: '/configuration' },
      { text: 'API', link: '/api/', activeMatch: '^/api/' },
      { component: 'VersionMenu', props: { versions, current: version } },
    ],
    sidebar,
    outline: { level: [2, 3], label: 'On this page' },
    socialLinks: [],
    search: {
      provider: 'local',
      options: {
        detailedView: false,
        miniSearch: {
          searchOptions: {
            fuzzy: 0.15,
            prefix: true,
            boost: { title: 4, titles: 2, text: 1 },
            // A guide answers more questions than the page of a name, and a changelog answers fewer.
            boostDocument: (id) =>
              /\/api\/./.test(id) ? 0.35 : /\/(project|repository)\//.test(id) ? 0.15 : 1,
          },
        },
      },
    },
    docFooter: { prev: 'Before', next: 'Next' },
  },
})
