package core

import (
	"encoding/binary"
	"math/bits"
)

// Digest is a short fingerprint of a payload for evidence.
func (p Payload) Digest() uint64 { return Digest(p.Data) }

// Digest is a short fingerprint of bytes for evidence; it is no checksum to rely on.
func Digest(data []byte) uint64 {
	if len(data) == 8 {
		return binary.BigEndian.Uint64(data)
	}
	h := uint64(14695981039346656037)
	for ; len(data) >= 32; data = data[32:] { // four independent products: payloads may be large
		a := Mix(binary.BigEndian.Uint64(data)) +
			bits.RotateLeft64(Mix(binary.BigEndian.Uint64(data[8:])), 16)
		b := bits.RotateLeft64(Mix(binary.BigEndian.Uint64(data[16:])), 32) +
			bits.RotateLeft64(Mix(binary.BigEndian.Uint64(data[24:])), 48)
		h = (h ^ a ^ b*0x9fb21c651e98df25) * 1099511628211
		h = bits.RotateLeft64(h, 31)
	}
	for _, c := range data {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// Mix scrambles 64 bits (the finaliser of SplitMix64), a bijection.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
