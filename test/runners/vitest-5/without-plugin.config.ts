import { defineConfig } from 'vitest/config'

// What the plugin is for.
export default defineConfig({})
