/**
 * A plugin for Vite and Vitest that compiles standard decorators.
 *
 * @module blazon/vite
 */
export { blazon, type VitePlugin } from './vite-plugin.js'
