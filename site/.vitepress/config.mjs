// The settings of VitePress. build.mjs and serve.mjs say by variables which pages it reads, and for which address.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { anchorOf } from '../anchor.mjs'
import { adaptTables } from '../markdown.mjs'
import { INDEX_OPTIONS, searchTextOf } from '../search-text.mjs'

const here = fileURLToPath(new URL('..', import.meta.url))
const pages = process.env['SITE_PAGES'] ?? join(here, '.cache/pages')
const { contents, doors, version } = JSON.parse(readFileSync(join(pages, 'contents.json'), 'utf8'))
/** All versions of the site, the newest first, with the address of each. */
const versions = JSON.parse(
  process.env['SITE_VERSIONS'] ?? JSON.stringify([{ version, base: '/' }]),
)

const link = (path) => `/${path.replace(/(^|\/)index$/, '$1')}`
const groupsOf = (groups) =>
  groups.map(({ text, items }) => ({
    text,
    items: items.map(([path, label]) => ({ text: label, link: link(path) })),
  }))
const sidebar = {
  '/': groupsOf(contents),
  '/api/': groupsOf([
    {
      text: 'API',
      items: [['api/index', 'Overview'], ...doors.map((door) => [`api/${door}/index`, door])],
    },
    contents.find(({ text }) => text === 'Reference'),
  ]),
}
const labels = new Map(contents.flatMap(({ items }) => items))
const words = new Map(
  contents.flatMap(({ items }) => items.map(([path, , found]) => [`${path}.md`, found])),
)

/** The page before or after a page, of the pages of the navigation. Pages of names of the API have none. */
const outsideOfNavigation = { prev: false, next: false }

const ICON = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(here, '../docs/images/mark.svg'), 'utf8'))}`

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
  head: [['link', { rel: 'icon', href: ICON }]],
  vite: {
    resolve: {
      // The search of VitePress has a button whose name differs from its text, and options with links in them.
      alias: ['Button', 'Box'].map((part) => ({
        find: new RegExp(`^.*/VP(?:NavBar|Local)Search${part}\\.vue$`),
        replacement: join(here, `.vitepress/theme/Search${part}.vue`),
      })),
    },
    // One copy: the theme's search reads the index that VitePress wrote.
    optimizeDeps: { include: ['minisearch'] },
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
    config: adaptTables,
  },
  transformPageData(page) {
    const path = page.relativePath.replace(/\.md$/, '')
    if (labels.has(path) || path === 'index') return
    Object.assign(page.frontmatter, outsideOfNavigation)
  },
  themeConfig: {
    logo: { src: ICON, alt: '' },
    nav: [
      { text: 'Tutorial', link: '/tutorial/1-routes', activeMatch: '^/tutorial/' },
      { text: 'Guides', link: '/tour' },
      { text: 'Configuration', link: '/configuration' },
      { text: 'API', link: '/api/', activeMatch: '^/api/' },
      { component: 'VersionMenu', props: { versions, current: version } },
    ],
    sidebar,
    // For the search: see weight.mjs.
    words: contents.flatMap(({ items }) =>
      items.flatMap(([path, , found]) => (found ? [[path, found]] : [])),
    ),
    outline: { level: [2, 3], label: 'On this page' },
    search: {
      provider: 'local',
      options: { _render: searchTextOf(words), miniSearch: { options: INDEX_OPTIONS } },
    },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
})
