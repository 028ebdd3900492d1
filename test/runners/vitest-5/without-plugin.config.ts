import { defineConfig } from 'vitest/config'

// Shows why the plugin is needed.
export default defineConfig({})
