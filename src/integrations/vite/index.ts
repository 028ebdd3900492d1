export { blazon, type VitePlugin } from './vite-plugin.js'
