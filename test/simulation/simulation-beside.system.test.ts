import { SMALL, testWorlds } from './worlds.ts'

testWorlds(SMALL, 'SIMULATION_SEEDS', 1000, 1)
