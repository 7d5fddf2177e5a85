import { SMALL, testWorlds } from './worlds.ts'

testWorlds(SMALL, 'SIMULATION_SEEDS', 10, null)
