"""Which memories belong to what is checked out, and to the folder one stands in."""
