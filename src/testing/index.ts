export { TestApp } from './test-app.js'
